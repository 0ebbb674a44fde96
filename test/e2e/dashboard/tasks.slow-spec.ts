import { testOperatorTasks } from '../../support/operator-tasks';

jest.setTimeout(120_000);

testOperatorTasks('what an operator of few accounts does in the dashboard, by keyboard');
