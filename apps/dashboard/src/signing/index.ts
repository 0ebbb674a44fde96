/** The page's part if the operator holds the chain key: it asks for signatures. */
export { SigningDialog } from './dialog';
export { isNotSigned, signed, signedCall, signedForEach } from './requests';
export { age } from './reading/transactions';
