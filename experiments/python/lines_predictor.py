"""A predictor for protocol = "lines": one JSON record in, one JSON record out.

It has no training data. It compares the words that it can see with the words of each candidate
label, and with words that one would think of beside it, and names the label that has most of them. Use it as a pattern: replace predict() by your own
model and keep the loop.

    method "keywords" {
      uses    = "command"
      command = ["python3", "python/lines_predictor.py"]
    }
"""

import json
import re
import sys

# Words that stand in most traces and tell nothing.
COMMON = set("a an and are for from in is it of on or please the to with you www com example click type select button link".split())

# Words that one would think of beside the words of a label, written down without looking at any
# data: that is what makes this a zero-shot method.
RELATED = {
    "travel": "trip journey train flight hotel room station departure arrival seat stay nights guests",
    "shopping": "buy cart basket price cheap order product checkout quantity colour shop",
    "entertainment": "film cinema music concert song artist trailer poster ticket video podcast play",
    "info": "weather forecast rain wind news library author catalogue branch search",
    "service": "appointment doctor visit moving move quote rent address message",
    "tool": "settings alarm bluetooth battery storage calculate percent",
    "information": "note list calendar reminder meeting",
    "social": "hey friend message post photo",
    "apps": "translate found recents app_switch",
}


def words(text):
    """Lower-case words; Chinese characters count one by one, since they are not separated."""
    return re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", text.lower().replace("_", " "))


def visible_text(task):
    """All text of the record: metadata, steps, and the graph when the ablation shows one."""
    parts = [str(v) for v in task.get("metadata", {}).values()]
    for step in task.get("context_steps", []) + task.get("observed_steps", []):
        parts += [step.get(k) or "" for k in ("utterance", "action", "element", "value", "url", "app")]
    for node in (task.get("visible_graph") or {}).get("nodes", []):
        parts += [node.get("text") or "", node.get("value") or ""]
    return " ".join(parts)


def last_request(task):
    """The open intent: what the person said last, else the last action."""
    steps = task.get("observed_steps", [])
    said = [s["utterance"] for s in steps if s.get("utterance") and s.get("speaker") != "navigator"]
    done = [s.get("action") or s.get("op") or "" for s in steps]
    return (said or done or [""])[-1]


def predict(task):
    seen = [w for w in words(visible_text(task)) if w not in COMMON]
    best, most = "", 0
    for label in task.get("candidate_labels", []):
        wanted = set(words(label)) - COMMON
        for w in list(wanted):
            wanted.update(words(RELATED.get(w, "")))
        hits = sum(w in wanted for w in seen)
        if hits > most:
            best, most = label, hits
    # An empty closed_intent abstains: better than a guess where no word speaks for any label.
    return {
        "task_id": task["task_id"],
        "closed_intent": best,
        "closed_confidence": most / (most + 1) if best else 0.0,
        "predicted_intent": last_request(task),
    }


def main():
    # UTF-8 whatever the locale says; the runner sets PYTHONUTF8 too, but a test by hand may not.
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    for line in sys.stdin:
        if not line.strip():
            continue
        # flush: the next prefix of this episode comes only after this answer has arrived.
        print(json.dumps(predict(json.loads(line)), ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
