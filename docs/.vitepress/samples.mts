/** A call of a route in curl, TypeScript and Python, as tabs. */

interface Call {
  method: string;
  path: string;
  /** An example of its body; undefined for none. */
  body: unknown;
}

export function samplesOf(call: Call): string {
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const tab = (language: string, title: string, code: string): string => `\`\`\`${language} [${title}]\n${code}\n\`\`\``;
  return [
    '::: code-group',
    tab('sh', 'curl', curl({ ...call, path })),
    tab('ts', 'TypeScript', typescript({ ...call, path })),
    tab('python', 'Python', python({ ...call, path })),
    ':::',
  ].join('\n\n');
}

function curl({ method, path, body }: Call): string {
  const json = body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`];
  return [`curl -X ${method} "$BASE_URL${path}" -H "Authorization: Bearer $API_KEY"`, ...json].join(' \\\n  ');
}

function typescript({ method, path, body }: Call): string {
  const json = body === undefined ? '' : `\n  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`;
  const type = body === undefined ? '' : ", 'Content-Type': 'application/json'";
  return `const response = await fetch(\`\${process.env.BASE_URL}${path}\`, {
  method: '${method}',
  headers: { Authorization: \`Bearer \${process.env.API_KEY}\`${type} },${json}
});
console.log(response.status, await response.json());`;
}

function python({ method, path, body }: Call): string {
  const json = body === undefined ? '' : `\n    json=${literal(body)},`;
  return `import os, requests

response = requests.request(
    "${method}",
    os.environ["BASE_URL"] + "${path}",
    headers={"Authorization": "Bearer " + os.environ["API_KEY"]},${json}
)
print(response.status_code, response.json())`;
}

/** A value of JSON as Python writes it. */
function literal(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, each]) => `${JSON.stringify(name)}: ${literal(each)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}
