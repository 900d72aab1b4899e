import { openStore } from '../stores.ts';
import { type Command, json } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'create the database or bring it up to date, and exit',
  options: { json },
  example: 'petstore migrate',
  run: async ({ config, print }) => {
    const { store, applied } = await openStore(config);
    await store.close();
    print({ applied }, applied.length > 0 ? applied : ['the database is up to date']);
    return 0;
  },
};
