/** What the page does where the operator holds the chain key: it asks for signatures. */
export { SigningDialog } from './dialog';
export { isNotSigned, signed, signedCall, signedForEach } from './requests';
export { age } from './transactions';
