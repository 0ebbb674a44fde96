/** Calls at a seller of x402 `batch-settlement`, with a service of their own. */
import { api, type Api } from './api';
import { BatchSeller } from './batch-seller';
import { startService, type Service } from './service';
import { RUNNING, SessionCalls } from './session-calls';

export interface BatchCalls {
  service: Service;
  by: Api;
  seller: BatchSeller;
  calls: SessionCalls;
}

/** Starts a service and a seller whose calls cost 0.001 USDC. */
export async function startBatchCalls(options?: Parameters<typeof BatchSeller.start>[2]): Promise<BatchCalls> {
  const service = await startService({ variables: RUNNING });
  const by = api(service.baseUrl, service.operatorKey);
  const seller = await BatchSeller.start(service, 1_000n, options);
  return { service, by, seller, calls: new SessionCalls(service, by, seller) };
}

export async function stopBatchCalls({ service, seller }: Pick<BatchCalls, 'service' | 'seller'>): Promise<void> {
  seller.stop();
  await service.stop();
}
