import { testOperatorTasks } from '../../support/operator-tasks';

jest.setTimeout(200_000);

testOperatorTasks('what an operator does in the dashboard, by keyboard');
