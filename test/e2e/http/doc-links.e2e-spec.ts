import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import type { Body } from '../../support/api';
import { sharedService } from '../../support/service';
import { anAccount, anonymous, bodyOf, operator, order } from '../../support/world';

const base = (): string => sharedService().baseUrl;

/** Fetches a link and requires that its anchor exists. */
async function requireAnchor(url: string): Promise<void> {
  const answer = await fetch(url);
  expect([url, answer.status]).toEqual([url, 200]);
  expect(await answer.text()).toContain(`id="${new URL(url).hash.slice(1)}"`);
}

test('an error names its description: for a code, and for the reason of a decline', async () => {
  const [payer, payee] = [await anAccount({ usdc: '1', policy: { max_single_transfer: 0.5 } }), await anAccount()];
  const bodies: [Body, string][] = [
    [(await anonymous().get('/v1/accounts')).body, 'unauthorized'],
    [(await operator().get('/v1/nothing')).body, 'not_found'],
    [(await operator().post('/v1/transfers', {})).body, 'invalid_request'],
    [(await operator().post('/v1/transfers', order(payer, payee, '1'))).body, 'max_single_transfer'],
  ];
  for (const [{ doc_url }, anchor] of bodies) {
    expect(doc_url).toBe(`${base()}/docs/errors#${anchor}`);
    await requireAnchor(doc_url);
  }
});

test('the decline of a dry run names its description', async () => {
  const [payer, payee] = [await anAccount({ usdc: '1', policy: { max_single_transfer: 0.5 } }), await anAccount()];
  const { decline } = bodyOf(await operator().post('/v1/transfers', order(payer, payee, '1'), { 'Dry-Run': 'true' }), 200);
  expect(decline.doc_url).toBe(`${base()}/docs/errors#max_single_transfer`);
});

test('the description of an error is at the service’s own address, whatever Host the caller sends', async () => {
  const { hostname, port } = new URL(base());
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request({ hostname, port, path: `/v1/${randomUUID()}`, headers: { Host: 'evil.example' } }, async (response) => {
      let body = '';
      for await (const chunk of response) body += String(chunk);
      resolve(body);
    });
    sent.on('error', reject).end();
  });
  expect(JSON.parse(text)).toMatchObject({ doc_url: `${base()}/docs/errors#not_found` });
});
