import { findFreePort } from '#processes';
import { api } from '../../support/api';
import { startApart } from '../../support/operators';
import { sharedService, type Service } from '../../support/service';
import { anAccount, order } from '../../support/world';

jest.setTimeout(120_000);

describe('metrics at a port of their own', () => {
  let service: Service;
  let url: string;
  beforeAll(async () => {
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}/metrics`;
    service = await startApart(sharedService(), { METRICS_PORT: String(port) });
  });
  afterAll(() => service.stop());

  const scrape = async (): Promise<string[]> => (await (await fetch(url)).text()).split('\n').filter((line) => !/^(#|$)/.test(line));
  const requests = (lines: string[]): string[] => lines.filter((line) => line.startsWith('http_request_duration_seconds_count'));

  test('METRICS_PORT serves them, and the public port does not', async () => {
    expect((await fetch(`${service.baseUrl}/metrics`)).status).toBe(404);
    expect((await fetch(url)).headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect((await fetch(url.replace('/metrics', '/'))).status).toBe(404);
    expect((await fetch(url.replace('/metrics', '/health'))).status).toBe(200);
  });

  test('they show requests by route, calls of each node, and what waits', async () => {
    const by = api(service.baseUrl, service.operatorKey);
    const [from, to] = [await anAccount({ usdc: '5', by }), await anAccount({ by })];
    expect((await by.post('/v1/transfers', order(from, to, '1'))).status).toBe(200);
    const lines = await scrape();
    const { host } = new URL(service.sandbox.rpc_url);
    expect(lines).toEqual(
      expect.arrayContaining([
        'http_request_duration_seconds_count{method="POST",route="/v1/transfers",status="200"} 1',
        expect.stringMatching(`^rpc_request_duration_seconds_count{node="${host}",method="sendTransaction",outcome="answered"} \\d+$`),
        'order_duration_seconds_count{kind="transfer",status="settled"} 1',
        expect.stringMatching(/^database_connections\{state="idle"\} [1-9]\d*$/),
        expect.stringMatching(/^database_waiting_statements \d+$/),
        expect.stringMatching(/^webhook_deliveries_overdue \d+$/),
        expect.stringMatching(/^webhook_deliveries_overdue_seconds \d/),
        expect.stringMatching(/^compute_unit_price_micro_lamports 0$/),
      ]),
    );
  });

  test('their number does not grow with ids, nor with paths that do not exist', async () => {
    const by = api(service.baseUrl, service.operatorKey);
    const ask = async (round: string): Promise<void> => {
      for (let index = 0; index < 20; index++) {
        await by.get(`/v1/transfers/tr_${round}${index}`);
        await by.get(`/nowhere/${round}${index}`);
      }
    };
    await ask('a');
    const before = requests(await scrape()).length;
    await ask('b');
    expect(requests(await scrape()).length).toBe(before);
  });
});
