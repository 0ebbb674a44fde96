export { stopAll as default } from './running';
