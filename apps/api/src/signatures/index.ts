/** The public face of signatures, for the features right of it. */
export { type Answer, type NewAuthority, OperatorAction, OperatorActions, SignatureRequired, type Signed } from './operator-action';
export { respond, versioned } from './respond';
export type { SignatureRequiredView } from './signature-requests.dto';
export { SignatureRequestsService } from './signature-requests.service';
export { SignaturesModule } from './signatures.module';
