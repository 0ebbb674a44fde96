/** The metrics on a port of their own, which no client of the API reaches. */
import { createServer, type Server } from 'node:http';
import type { Config } from '../config';
import { StartError } from '../config-loader';
import type { Metrics } from './metrics';
import type { Shutdown } from '../process/shutdown';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Serves `GET /metrics` at METRICS_PORT of HOST until the shutdown; nothing without that setting. @throws StartError if it cannot listen */
export async function serveMetrics(metrics: Metrics, { METRICS_PORT: port, HOST: host }: Config, shutdown: Shutdown): Promise<void> {
  if (port === undefined) return;
  const server = createServer((request, response) => {
    if (request.url === '/health') return void response.writeHead(200).end('ok');
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    metrics.text().then(
      (text) => response.writeHead(200, { 'Content-Type': METRICS_TYPE }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await listening(server, port, host);
  shutdown.add('the metrics', () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', () => reject(new StartError(`METRICS_PORT: the service cannot listen at port ${port} of ${host}.`)));
    server.listen(port, host, resolve);
  });
}
