import { backupStore } from '../stores.ts';
import { type Command, json } from './command.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'copy the SQLite database into a new file, also while it is served',
  options: {
    to: { value: 'FILE', description: 'the copy, which must not exist yet', isRequired: true },
    json,
  },
  example: 'petstore backup --to petstore-2026-11-15.db',
  run: async ({ config, options, print }) => {
    const file = options.to!;
    process.stderr.write('petstore: copying the database …\n');
    backupStore(config, file);
    print({ file }, [
      `the copy is complete: ${file}`,
      'it does not contain the key that seals the secrets of webhooks: keep secret.key or PETSTORE_SECRET_KEY too',
    ]);
    return 0;
  },
};
