import { prepareValidator } from './chain-under-test';
import startSharedService from './e2e.setup';

/** The same service and the same tests, on a validator that is there already. */
export default async function startOnValidator(): Promise<void> {
  await prepareValidator();
  await startSharedService();
}
