"""A predictor for uses = "files": it reads files, is run once, and leaves a file.

It sees every prefix of an episode at once, which a program of the kind command never does: tables
stamp it "saw all prefixes at once". Use the kind for tools that can't be asked one task at a time.

The model is that of worker_predictor.py. Replace it by your own and keep main().

    method "batch_bayes" {
      uses    = "files"
      command = ["python3", "python/files_predictor.py"]
    }
"""

import json
import os

from worker_predictor import Model


def records(name):
    """The lines of a file that the runner names: inputs, train or dev."""
    with open(os.environ["INTENTLAB_" + name], encoding="utf-8") as f:
        for line in f:
            yield json.loads(line)


def main():
    model = Model()
    for example in records("TRAIN"):
        model.add(example["task"], example["closed_intent"], example["open_intent"])
    model.tune([(e["task"], e["closed_intent"]) for e in records("DEV")])
    # A temporary name until the file is whole, so that a tool that is killed leaves no half of it.
    done = os.environ["INTENTLAB_PREDICTIONS"]
    with open(done + ".part", "w", encoding="utf-8") as f:
        for task in records("INPUTS"):
            f.write(json.dumps(model.predict(task), ensure_ascii=False) + "\n")
    os.replace(done + ".part", done)


if __name__ == "__main__":
    main()
