"""A predictor for protocol = "worker": it learns, keeps what it learnt, and answers.

The conversation, one JSON object a line:

    < {"type":"hello","protocol":1,"seed":1,...}     > {"type":"ready","name":...,"fit":true,...}
    < {"type":"example","split":"train",...}         (many; no answer)
    < {"type":"fit","artifact_dir":"..."}            > {"type":"fitted"}
    < {"type":"load","artifact_dir":"..."}           (another worker: instead of examples; no answer)
    < {"type":"task","task":{...}}                   > {"task_id":...,"closed_intent":...,...}
    < {"type":"bye"}

The model is multinomial naive Bayes over words with add-alpha smoothing; alpha is chosen on the dev
examples. Replace class Model by your own and keep main().

    method "bayes" {
      uses     = "command"
      protocol = "worker"
      command  = ["python3", "python/worker_predictor.py"]
    }
"""

import json
import math
import os
import re
import sys
from collections import Counter, defaultdict

ALPHAS = (0.01, 0.1, 1.0)


def words(task):
    """Words of everything visible; Chinese characters count one by one."""
    parts = [str(v) for v in task.get("metadata", {}).values()]
    for step in task.get("context_steps", []) + task.get("observed_steps", []):
        parts += [step.get(k) or "" for k in ("utterance", "action", "op", "element", "value", "url", "app")]
    for node in (task.get("visible_graph") or {}).get("nodes", []):
        parts += [node.get(k) or "" for k in ("text", "value", "op")]
    return re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", " ".join(parts).lower())


class Model:
    """Counts of words by label. add() fills them, save() and load() carry them to other workers."""

    def __init__(self):
        self.labels = Counter()  # examples by label
        self.words = defaultdict(Counter)  # words by label
        self.intents = defaultdict(Counter)  # open intents by label
        self.alpha = ALPHAS[-1]
        self.totals, self.vocabulary = {}, 1

    def add(self, task, label, intent):
        self.labels[label] += 1
        self.words[label].update(words(task))
        self.intents[label][intent] += 1

    def count(self):
        """Sums that every answer needs; called once, after the last example."""
        self.totals = {label: sum(c.values()) for label, c in self.words.items()}
        self.vocabulary = len(set().union(*self.words.values())) or 1

    def posterior(self, task, alpha=None):
        """Probabilities of all labels, most probable first."""
        alpha = alpha or self.alpha
        seen = Counter(words(task))
        scores = {}
        for label in sorted(self.labels):
            total = self.totals[label] + alpha * self.vocabulary
            scores[label] = math.log(self.labels[label]) + sum(
                n * math.log((self.words[label][w] + alpha) / total) for w, n in sorted(seen.items())
            )
        top = max(scores.values(), default=0.0)
        mass = {label: math.exp(s - top) for label, s in scores.items()}
        total = sum(mass.values()) or 1.0
        # sorted() keeps equal ones in byte order, so that two runs agree to the byte.
        return sorted(((label, m / total) for label, m in mass.items()), key=lambda x: -x[1])

    def tune(self, dev):
        """Take the alpha that is right most often on dev; the first of equals."""
        self.count()

        def right(alpha):
            return sum(self.posterior(t, alpha)[0][0] == label for t, label in dev)

        if dev and self.labels:
            self.alpha = max(ALPHAS, key=right)

    def predict(self, task):
        ranked = self.posterior(task)
        if not ranked:
            return {"task_id": task["task_id"], "closed_intent": "", "predicted_intent": ""}
        label, p = ranked[0]
        # Most frequent intent of the label; the first in byte order of equals.
        intents = self.intents[label]
        intent = min(intents, key=lambda i: (-intents[i], i)) if intents else ""
        return {
            "task_id": task["task_id"],
            "closed_intent": label,
            "closed_confidence": p,
            "closed_topk": [{"label": l, "p": q} for l, q in ranked[:5]],
            "predicted_intent": intent,
        }

    def save(self, folder):
        # sort_keys: the artefact is hashed, and equal models must give equal bytes.
        with open(os.path.join(folder, "model.json"), "w", encoding="utf-8") as f:
            json.dump({"alpha": self.alpha, "labels": self.labels, "words": self.words, "intents": self.intents},
                      f, ensure_ascii=False, sort_keys=True)

    def load(self, folder):
        with open(os.path.join(folder, "model.json"), encoding="utf-8") as f:
            saved = json.load(f)
        self.alpha, self.labels = saved["alpha"], Counter(saved["labels"])
        self.words = defaultdict(Counter, {k: Counter(v) for k, v in saved["words"].items()})
        self.intents = defaultdict(Counter, {k: Counter(v) for k, v in saved["intents"].items()})
        self.count()


def main():
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")

    def send(record):
        print(json.dumps(record, ensure_ascii=False), flush=True)  # unflushed answers look like a hang

    model, dev = Model(), []
    for line in sys.stdin:
        if not line.strip():
            continue
        message = json.loads(line)
        kind = message.get("type")
        if kind == "hello":
            send({"type": "ready", "name": "naive-bayes-example", "version": "1", "fit": True, "concurrency": 1})
        elif kind == "example":
            task, label = message["task"], message.get("closed_intent", "")
            if message.get("split") == "dev":
                dev.append((task, label))  # for choices such as alpha, never to learn from
            else:
                model.add(task, label, message.get("open_intent", ""))
        elif kind == "fit":
            model.tune(dev)
            model.save(message["artifact_dir"])
            send({"type": "fitted"})
        elif kind == "load":
            model.load(message["artifact_dir"])
        elif kind == "task":
            send(model.predict(message["task"]))
        elif kind == "bye":
            break
        # Anything else is from a later version of the protocol: ignore it.


if __name__ == "__main__":
    main()
