// Runs before each test file.

import './seed.ts';
import { afterAll } from 'vitest';
import { endFile } from './at-the-end.ts';

afterAll(endFile);
