"""Renders the Helm chart with the values on stdin, by Helm's own library, and checks each object against Kubernetes' schemas.

Prints the objects as JSON. Ends with 1 and the reason on stderr where Helm or a schema refuses something.
"""
import json
import sys

import helm_python
import kubernetes_validate
import yaml
from helm_python import Chart

path, values = sys.argv[1], json.load(sys.stdin)
messages = [message for message in helm_python.lint(path).get("messages", []) if message.get("severity", 0) >= 2]
if messages:
    sys.exit(f"helm lint: {messages}")
chart = Chart.load(path)
try:
    chart.validate_schema(chart.merge_values(values))
    files = chart.render(values, name="pay", namespace="payments")
except helm_python.HelmError as error:
    sys.exit(f"helm: {error}")
objects = [one for text in files.values() for one in yaml.safe_load_all(text) if one]
for one in objects:
    # Custom resources have no schema here.
    if one["apiVersion"].startswith("monitoring.coreos.com/"):
        continue
    try:
        kubernetes_validate.validate(one, "1.37", strict=True)
    except kubernetes_validate.ValidationError as error:
        sys.exit(f"{one['kind']} {one['metadata']['name']}: {error.message} at {list(error.path)}")
print(json.dumps(objects))
