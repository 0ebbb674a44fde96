import { prepareCluster } from './cluster-copy';
import { keepSpareOperators, newOperatorKeys } from './operators';
import { orStopped, running } from './running';
import { startService, type SharedService } from './service';

/** As many as the tests of one run take, and some more: those beyond are created when they are needed. */
const SPARE_OPERATORS = 40;

/** One service for all end-to-end tests that do not need to kill it, and two operators of it. */
export default orStopped(async () => {
  await prepareCluster();
  const service = await startService();
  running.push(() => service.stop());
  const { baseUrl, operatorKey, sandbox, dataDir } = service;
  const [otherOperatorKey = '', ...spare] = await newOperatorKeys(service, 1 + SPARE_OPERATORS);
  keepSpareOperators(spare);
  const shared: SharedService = { baseUrl, operatorKey, sandbox, dataDir, otherOperatorKey };
  process.env.TEST_SERVICE = JSON.stringify(shared);
});
