import { generateApiKey } from '../lib/api-key.ts';
import type { Run } from './command.ts';

/** For hosts that have only the image: nothing else on them makes a key that is well-formed. */
export const generateKey: Run = async ({ print }) => {
  const { key } = generateApiKey();
  print({ key }, [key]);
  return 0;
};
