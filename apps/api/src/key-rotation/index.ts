/** The public face of key-rotation, for the features right of it. */
export { AuthorityRotationService } from './authority-rotation.service';
export { KeyRotationModule } from './key-rotation.module';
