import { backupStore } from '../stores.ts';
import type { Run } from './command.ts';

export const backup: Run = async ({ config, options, print }) => {
  const file = options.to!;
  backupStore(config, file, () => process.stderr.write('petstore: copying the database …\n'));
  print({ file }, [
    `the copy is complete: ${file}`,
    'it does not contain the key that encrypts the secrets of webhooks: keep secret.key or PETSTORE_SECRET_KEY too',
  ]);
  return 0;
};
