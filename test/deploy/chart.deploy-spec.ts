import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonTools } from '../support/python-tools';
import type { Body } from '../support/api';

jest.setTimeout(300_000);

const ROOT = join(__dirname, '..', '..');
const CHART = join(ROOT, 'deploy', 'helm');
/** The settings that only the Secret may hold. */
const SECRETS = /^(DATABASE_URL|REDIS_URL|SOLANA_RPC_URL|.*_KEY)$/;

/** The objects that Helm renders, each valid by Kubernetes' schemas. @throws Error with the reason of Helm or of a schema */
function render(values: object): Body[] {
  const { stdout, stderr, status } = spawnSync(join(pythonTools(), 'python'), [join(__dirname, 'chart.py'), CHART], {
    input: JSON.stringify(values),
    encoding: 'utf8',
    maxBuffer: 16_000_000,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const ofKind = (objects: Body[], kind: string): Body[] => objects.filter((one) => one.kind === kind);
const EVERYTHING = {
  image: { tag: '1.2.3' },
  imagePullSecrets: [{ name: 'registry' }],
  settings: { LOG_LEVEL: 'warn', RATE_LIMIT_PER_KEY: 1000, ALLOW_PRIVATE_URLS: false },
  api: { autoscaling: { enabled: true, requestsPerSecond: '200' }, nodeSelector: { disk: 'fast' } },
  worker: { autoscaling: { enabled: true, oldestDeliverySeconds: '30' }, tolerations: [{ key: 'money', operator: 'Exists' }] },
  ingress: { enabled: true, host: 'pay.example.com', className: 'nginx', tlsSecretName: 'pay-tls' },
  networkPolicy: { apiFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }] },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
};

test('with its defaults it renders API, worker and migration, which run without rights and name secrets by reference', () => {
  const objects = render({});
  const pods = [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')].map(({ spec }) => spec.template.spec);
  expect(pods.map(({ containers: [{ name, command }] }) => [name, command.at(-1)])).toEqual([
    ['api', 'dist/apps/api/src/bin/server.js'],
    ['worker', 'dist/apps/api/src/bin/worker.js'],
    ['setup', 'dist/apps/api/src/bin/setup.js'],
  ]);
  const settings = readFileSync(join(ROOT, 'docs', 'settings.md'), 'utf8');
  for (const { containers, securityContext, automountServiceAccountToken } of pods) {
    const [{ env, envFrom, securityContext: own }] = containers;
    expect([securityContext.runAsNonRoot, automountServiceAccountToken, own.readOnlyRootFilesystem]).toEqual([true, false, true]);
    expect(own.capabilities.drop).toEqual(['ALL']);
    expect(envFrom).toEqual([{ secretRef: { name: 'agent-payment-service' } }]);
    for (const { name } of env) {
      expect(name).not.toMatch(SECRETS);
      expect(settings).toContain(`\`${name}\``);
    }
  }
  expect(ofKind(objects, 'PodDisruptionBudget')).toHaveLength(2);
  expect(ofKind(objects, 'Secret')).toEqual([]);
});

test('with everything turned on each object is valid, and the metrics port is open to Prometheus alone', () => {
  const objects = render(EVERYTHING);
  expect(new Set(objects.map(({ kind }) => kind))).toEqual(
    new Set([
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
    ]),
  );
  const [policy] = ofKind(objects, 'NetworkPolicy');
  const metrics = policy.spec.ingress.find(({ ports }: Body) => ports[0].port === 'metrics');
  expect(metrics.from).toEqual([{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }]);
});

test.each([
  [{ settings: { KEY_ENCRYPTION_KEY: 'AAAA' } }, /KEY_ENCRYPTION_KEY/],
  [{ settings: { PORT: 80 } }, /PORT/],
  [{ ingress: { enabled: true } }, /host/],
  [{ secretName: '' }, /secretName/],
  [{ api: { replicas: 0 } }, /replicas/],
])('refuses %j', (values, reason) => {
  expect(() => render(values)).toThrow(reason);
});
