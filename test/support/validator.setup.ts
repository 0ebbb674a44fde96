import { prepareValidator } from './chain-under-test';
import startSharedService from './e2e.setup';

/** The same service and tests, on a validator that is running. */
export default async function startOnValidator(): Promise<void> {
  await prepareValidator();
  await startSharedService();
}
