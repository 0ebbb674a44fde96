import { fillLargeOperator } from '../support/large-operator';
import { testOperatorTasks } from '../support/operator-tasks';

jest.setTimeout(400_000);

testOperatorTasks('what an operator of 200 accounts and 50,000 transfers does in the dashboard, by keyboard', (service) =>
  fillLargeOperator(service, { isWaiting: false }),
);
