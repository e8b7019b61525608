"""A leak probe: a method that answers from the longest prefix of the episode that it has been shown.

At ratio 0.1 it looks for the record at ratio 1.0 of the same episode. Under both protocols of the
kind command there is none yet, so it can gain nothing. Under the kind files the later records stand
in inputs.jsonl, and it answers early tasks with what only the end of the episode tells. That is why
tables stamp `files`. docs/audit.md has the figures.

    method "peek_lines" {
      uses    = "command"
      command = ["python3", "python/future_peek.py"]
    }
    method "peek_worker" {
      uses     = "command"
      protocol = "worker"
      command  = ["python3", "python/future_peek.py"]
    }
    method "peek_files" {
      uses    = "files"
      command = ["python3", "python/future_peek.py"]
    }
"""

import json
import os
import sys
from collections import Counter

longest = {}  # by episode: the record with the most steps so far
prior = Counter()  # weight of the training examples by label


def see(task):
    kept = longest.get(task["episode_id"])
    if kept is None or len(task["observed_steps"]) > len(kept["observed_steps"]):
        longest[task["episode_id"]] = task


def learn(example):
    prior[example["closed_intent"]] += example["weight"]


def answer(task, labels):
    """The label whose name the last step of the longest record quotes; else the most frequent one."""
    steps = longest[task["episode_id"]]["observed_steps"]
    text = json.dumps(steps[-1:], ensure_ascii=False).lower()
    hits = [label for label in labels if label.lower() in text]
    guess = min(prior, key=lambda label: (-prior[label], label), default=labels[0] if labels else "")
    return json.dumps({"task_id": task["task_id"], "closed_intent": (hits or [guess])[0], "predicted_intent": ""}, ensure_ascii=False)


def over_files():
    def records(name):
        with open(os.environ["INTENTLAB_" + name], encoding="utf-8") as f:
            yield from map(json.loads, f)

    for example in records("TRAIN"):
        learn(example)
    for task in records("INPUTS"):
        see(task)
    done = os.environ["INTENTLAB_PREDICTIONS"]
    with open(done + ".part", "w", encoding="utf-8") as f:
        for task in records("INPUTS"):
            f.write(answer(task, task["candidate_labels"]) + "\n")
    os.replace(done + ".part", done)


def over_pipes():
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    labels = []
    for message in map(json.loads, sys.stdin):
        kind = message.get("type")
        if kind is None:  # protocol lines
            see(message)
            print(answer(message, message["candidate_labels"]), flush=True)
        elif kind == "hello":
            for space in message["label_spaces"].values():
                labels = space["labels"]
            print(json.dumps({"type": "ready", "name": "future_peek", "version": "1", "fit": True, "concurrency": 8}), flush=True)
        elif kind == "example" and message["split"] == "train":
            learn(message)
        elif kind == "fit":
            with open(os.path.join(message["artifact_dir"], "prior.json"), "w", encoding="utf-8") as f:
                json.dump(prior, f, sort_keys=True)
            print('{"type":"fitted"}', flush=True)
        elif kind == "load":
            with open(os.path.join(message["artifact_dir"], "prior.json"), encoding="utf-8") as f:
                prior.update(json.load(f))
        elif kind == "task":
            see(message["task"])
            print(answer(message["task"], labels), flush=True)
        elif kind == "bye":
            break


if __name__ == "__main__":
    over_files() if "INTENTLAB_INPUTS" in os.environ else over_pipes()
