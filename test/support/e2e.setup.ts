import { prepareCluster } from './cluster-copy';
import { newOperatorKey } from './operators';
import { running } from './running';
import { startService, type SharedService } from './service';

/** One service for all end-to-end tests that do not need to kill it, and two operators of it. */
export default async function startSharedService(): Promise<void> {
  await prepareCluster();
  const service = await startService();
  running.push(() => service.stop());
  const { baseUrl, operatorKey, sandbox, dataDir } = service;
  const shared: SharedService = { baseUrl, operatorKey, sandbox, dataDir, otherOperatorKey: await newOperatorKey(service) };
  process.env.TEST_SERVICE = JSON.stringify(shared);
}
