//! Negatives of many APIs together.

use healer::similarity::Settings;

use crate::corpus::Api;

/// Returns how many negatives of one kind an API has, and a line for each for which something was taken.
pub type Negatives = fn(&Api, Settings) -> (usize, Vec<String>);

/// Returns the same for several APIs.
pub fn total<'a>(
    apis: impl IntoIterator<Item = &'a Api>,
    negatives: Negatives,
    settings: Settings,
) -> (usize, Vec<String>) {
    let (mut tried, mut wrong) = (0, Vec::new());
    for api in apis {
        let (count, taken) = negatives(api, settings);
        tried += count;
        wrong.extend(taken);
    }
    (tried, wrong)
}
