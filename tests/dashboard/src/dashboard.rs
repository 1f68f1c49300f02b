//! The Grafana dashboard: its panels and their queries, with Grafana's variables filled in.

use serde_json::Value;

use crate::deployed;

/// The path in the repository.
pub const PATH: &str = "deploy/grafana/dashboards/nomos.json";

/// A panel, or the heading of a row of them.
#[derive(Clone, Debug)]
pub struct Panel {
    /// The id, unique in the dashboard.
    pub id: u64,
    /// `stat`, `timeseries` or `row`.
    pub kind: String,
    /// The text above it.
    pub title: String,
    /// The text that Grafana shows behind the "i".
    pub description: String,
    /// The column from the left (of 24), the row from the top, width and height.
    pub place: [u64; 4],
    /// The queries.
    pub queries: Vec<Query>,
    /// The whole panel as JSON.
    pub json: Value,
}

/// A query of a panel.
#[derive(Clone, Debug)]
pub struct Query {
    /// The expression, with Grafana's variables.
    pub expression: String,
    /// The names of series: `{{label}}` stands for the value of a label.
    pub legend: String,
}

/// A variable that is filled with the values of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The metric whose labels are queried.
    pub metric: String,
    /// The label whose values fill the variable.
    pub label: String,
}

/// The values that Grafana puts into expressions.
#[derive(Clone, Copy, Debug)]
pub struct Intervals<'a> {
    /// For `$__rate_interval`.
    pub rate: &'a str,
    /// For `$__interval`, the time between two values of a panel.
    pub step: &'a str,
    /// For `$__range`.
    pub range: &'a str,
}

impl Query {
    /// Returns the expression that Prometheus gets, with all values of every variable selected.
    pub fn filled(&self, intervals: Intervals<'_>) -> String {
        filled(&self.expression, intervals)
    }
}

/// Reads the shipped dashboard.
pub fn shipped() -> Result<Value, String> {
    serde_json::from_str(&deployed::text(PATH)?).map_err(|e| format!("{PATH}: {e}"))
}

/// Returns its panels and rows, from top to bottom.
pub fn panels(dashboard: &Value) -> Vec<Panel> {
    dashboard["panels"].as_array().into_iter().flatten().map(panel).collect()
}

/// Returns its variables that query Prometheus.
pub fn variables(dashboard: &Value) -> Result<Vec<Variable>, String> {
    let all = dashboard["templating"]["list"].as_array().into_iter().flatten();
    all.filter(|variable| variable["type"] == "query").map(variable).collect()
}

/// Returns the expressions of its annotations that query Prometheus.
pub fn annotations(dashboard: &Value) -> Vec<String> {
    let all = dashboard["annotations"]["list"].as_array().into_iter().flatten();
    all.filter_map(|one| Some(one["expr"].as_str()?.to_owned())).collect()
}

/// Returns the labels in a legend.
pub fn legend_labels(legend: &str) -> Vec<&str> {
    legend.split("{{").skip(1).filter_map(|rest| Some(rest.split_once("}}")?.0.trim())).collect()
}

fn filled(expression: &str, intervals: Intervals<'_>) -> String {
    let Intervals { rate, step, range } = intervals;
    let mut text = expression.to_owned();
    for (name, value) in [("$__rate_interval", rate), ("$__interval", step), ("$__range", range)] {
        text = text.replace(name, value);
    }
    for name in ["$instance", "$route", "$interface"] {
        text = text.replace(name, ".*");
    }
    text
}

fn panel(json: &Value) -> Panel {
    let text = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
    let targets = json["targets"].as_array().into_iter().flatten();
    let query = |target: &Value| Query {
        expression: target["expr"].as_str().unwrap_or_default().to_owned(),
        legend: target["legendFormat"].as_str().unwrap_or_default().to_owned(),
    };
    Panel {
        id: json["id"].as_u64().unwrap_or_default(),
        kind: text("type"),
        title: text("title"),
        description: text("description"),
        place: ["x", "y", "w", "h"].map(|name| json["gridPos"][name].as_u64().unwrap_or_default()),
        queries: targets.map(query).collect(),
        json: json.clone(),
    }
}

fn variable(json: &Value) -> Result<Variable, String> {
    let name = json["name"].as_str().unwrap_or_default().to_owned();
    let query = json["query"]["query"].as_str().unwrap_or_default();
    let inside = query.strip_prefix("label_values(").and_then(|rest| rest.strip_suffix(')'));
    let (metric, label) = inside
        .and_then(|inside| inside.split_once(", "))
        .ok_or_else(|| format!("variable {name}: `{query}` is not `label_values(METRIC, LABEL)`"))?;
    Ok(Variable { name, metric: metric.to_owned(), label: label.to_owned() })
}
