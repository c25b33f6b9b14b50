"""Every alert has its section in the run-book and asks for metrics that are documented, and fires when it should.

Usage: alerts_test.py SOURCE_DIR [unittest arguments]. Whether it fires, promtool tells (Debian: prometheus); without
it that test is skipped, and the exit code is 77 when nothing else failed.
"""
import os
import re
import shutil
import subprocess
import sys
import unittest

try:
    import yaml
except ImportError:
    print("SKIPPED: no PyYAML for", sys.executable, "(Debian: python3-yaml)")
    sys.exit(77)

SOURCE = sys.argv.pop(1)
ALERTS = os.path.join(SOURCE, "deploy/prometheus/alerts.yaml")
PROMTOOL = shutil.which(os.environ.get("PROMTOOL", "promtool"))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Alerts(unittest.TestCase):
    rules = [rule for group in yaml.safe_load(read(ALERTS))["groups"] for rule in group["rules"]]
    operations = read(os.path.join(SOURCE, "docs/operations.md"))

    def test_each_has_its_section_in_the_run_book(self):
        names = [rule["alert"] for rule in self.rules]
        self.assertEqual(names, re.findall(r"^### (Berth\w+)$", self.operations, re.M))
        for rule in self.rules:
            self.assertEqual(rule["annotations"]["runbook"], "docs/operations.md#" + rule["alert"].lower())

    def test_each_asks_for_documented_metrics(self):
        for rule in self.rules:
            metrics = re.findall(r"\bberth_\w+", rule["expr"])
            self.assertTrue(metrics, rule["alert"])
            for metric in metrics:
                self.assertRegex(self.operations, f"`{metric.removesuffix('_bucket')}[`{{]", rule["alert"])

    @unittest.skipUnless(PROMTOOL, "no promtool here")
    def test_each_fires_when_it_should(self):
        tests = os.path.join(SOURCE, "test/deploy/alerts_test.yaml")
        told = subprocess.run([PROMTOOL, "test", "rules", tests], capture_output=True, text=True)
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
        cases = yaml.safe_load(read(tests))["tests"]
        for silent in (True, False):
            tried = {case["alertname"] for test in cases for case in test["alert_rule_test"]
                     if silent == (not case["exp_alerts"])}
            self.assertEqual(tried, {rule["alert"] for rule in self.rules})


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    for _, why in result.skipped:
        print("SKIPPED:", why)
    sys.exit(not result.wasSuccessful() or (77 if result.skipped else 0))
