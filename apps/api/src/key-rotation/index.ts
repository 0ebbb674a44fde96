/** What key-rotation offers to the features right of it. */
export { KeyRotationModule } from './key-rotation.module';
