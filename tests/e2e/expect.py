# SPDX-License-Identifier: BSD-3-Clause
"""expect.py REPORT.json... -- WORD...: the reports, taken together, hold what the words say.

    processes=2 threads>=3 zones=113 messages=1   numbers: =, >=, <=
    rows=4             fibers, devices and their tracks
    zone:NAME=10       zones of a name ("_" stands for a blank)
    thread:NAME        a thread of that name
    mark:TEXT          a mark from outside
    end=exit:0         how the first process ended, through its execs: exit:N or signal:N
    exits=0,10..12     the exit codes of all processes, as a sorted list
    note:TEXT          a note that contains the text
    finished           the writer closed the file in order
    balanced           no zone end without a begin, no zone that was closed by force
    lost:any           something was dropped or rotated away; lost:TEXT for that reason

Without a word lost:, nothing may be lost; nothing may ever be damaged or unknown.
Prints what is wrong, a line each; the exit code is 1 then.
"""
import json
import operator
import re
import sys

OPERATORS = {"=": operator.eq, ">=": operator.ge, "<=": operator.le}


def numbers(text):
    """"0,10..12" -> [0, 10, 11, 12]"""
    result = []
    for part in text.split(","):
        first, _, last = part.partition("..")
        result += range(int(first), int(last or first) + 1)
    return result


def plain(report, name):
    """What a word without further text counts."""
    if name == "zones":
        return report["zone_count"]
    if name == "threads":
        return sum(t["kind"] == "thread" for t in report["threads"])
    if name == "rows":
        return sum(t["kind"] != "thread" for t in report["threads"])
    if name in ("processes", "messages", "marks"):
        return len(report[name])
    return report[name]


def zone_count(report, name):
    return sum(z["count"] for z in report["zones"] if z["name"].replace(" ", "_") == name)


def end_of_first(report):
    """The last image of the process that was started first."""
    pid = report["processes"][0]["pid"]
    last = [p for p in report["processes"] if p["pid"] == pid][-1]
    if last["signal"] is not None:
        return "signal:%d" % last["signal"]
    if last["exit_code"] is not None:
        return "exit:%d" % last["exit_code"]
    return last["ended"]


def wrong_with(report, word):
    """What is wrong with a word, or None."""
    kind, _, rest = word.partition(":")
    if word == "finished":
        return None if report["complete"] else "the file was not closed in order"
    if word == "balanced":
        bad = {k: report[k] for k in ("unmatched_ends", "resynced", "too_deep") if report[k]}
        return "unbalanced: %s" % bad if bad else None
    if kind == "lost":
        reasons = " ".join(l["reason"] for l in report["lost"])
        lost = report["dropped"] or report["rotated_events"] or reasons
        is_right = lost if rest == "any" else rest in reasons
        return None if is_right else "lost: %s" % (reasons or "nothing")
    if kind == "thread":
        names = sorted({t["name"] for t in report["threads"]})
        return None if rest in [n.replace(" ", "_") for n in names] else "threads: %s" % names[:20]
    if kind == "note":
        return None if any(rest in n for n in report["notes"]) else "notes: %s" % report["notes"]
    if kind == "mark":
        texts = [m["text"].replace(" ", "_") for m in report["marks"]]
        return None if rest in texts else "marks: %s" % texts
    if word.startswith("end="):
        end = end_of_first(report)
        return None if word[4:] == end else "the first process ended: %s" % end
    if word.startswith("exits="):
        codes = sorted(p["exit_code"] for p in report["processes"] if p["exit_code"] is not None)
        return None if codes == numbers(word[6:]) else "exit codes: %s" % codes
    match = re.fullmatch(r"(zone:)?(.+?)(>=|<=|=)(\d+)", word)
    if not match:
        return "this word is not known"
    count = (zone_count if match[1] else plain)(report, match[2])
    return None if OPERATORS[match[3]](count, int(match[4])) else "there are %s" % count


def merged(reports):
    """One report: lists joined, numbers added, complete when all are."""
    result = reports[0]
    for other in reports[1:]:
        for key, value in other.items():
            if isinstance(value, bool):
                result[key] = result[key] and value
            elif isinstance(value, (int, list)):
                result[key] += value
    return result


def main():
    at = sys.argv.index("--")
    words = sys.argv[at + 1:]
    reports = []
    for name in sys.argv[1:at]:
        with open(name, encoding="utf-8") as f:
            reports.append(json.load(f))
    report = merged(reports)
    wrong = ["%s: %s" % (w, t) for w in words for t in [wrong_with(report, w)] if t]
    if not any(w.startswith("lost:") for w in words):
        for l in report["lost"]:
            wrong.append("lost %s: %s" % (l["count"], l["reason"]))
    for key in ("damaged_places", "unknown_events", "unknown_records", "unmatched_ends"):
        if report[key]:
            wrong.append("%s: %s" % (key, report[key]))
    for line in wrong:
        print(line)
    if wrong:
        print("notes: %s" % report["notes"][:5])
        print("zones: %s" % {z["name"]: z["count"] for z in report["zones"][:8]})
    return 1 if wrong else 0


sys.exit(main())
