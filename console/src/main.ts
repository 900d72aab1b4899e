import { start } from './start.tsx';

start(() => import('./more.ts'));
