import { running } from './running';
import { startService } from './service';

/** One service for all end-to-end tests that do not need to kill it. */
export default async function startSharedService(): Promise<void> {
  const service = await startService();
  process.env.TEST_SERVICE = JSON.stringify({ baseUrl: service.baseUrl, operatorKey: service.operatorKey, sandbox: service.sandbox });
  running.push(() => service.stop());
}
