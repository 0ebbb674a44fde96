/** The public face of sandbox, for the features right of it. */
export { boot, type Booted } from './boot';
export { firstOperatorKey } from './first-operator';
export { runningSettings } from './running-settings';
export { storedFact, writeSandboxFile } from './sandbox-file';
export { SandboxController } from './sandbox.controller';
export { transferToTry } from './try-it';
