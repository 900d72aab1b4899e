import { wordsOf } from '../words-of.ts';

/** The settings of the store, and closing it. */
export const settingsWords = wordsOf({
  lead: 'Your store and its data.',
  store: 'Store',
  storeNote: 'Everyone who signs in sees this.',
  name: 'Name',
  needsName: 'Enter a name of 1 to 200 characters.',
  lowStockAt: 'Low stock at',
  lowStockHint:
    'A pet with this many available units, or fewer, is low on stock. Leave empty to send no low stock events.',
  needsUnits: 'Enter a whole number from 0 to 1,000,000.',
  saved: 'Settings saved.',
  charts: 'Charts',
  chartsNote: 'Saved in this browser.',
  zone: 'Time zone of days',
  zoneHint:
    'Where the days of “Orders per day” begin. Outside UTC, the overview uses one more request for every 100 orders. Limits reset at midnight UTC.',
  browserZone: (zone: string) => `${zone} (this browser)`,
  plan: 'Plan',
  changePlan: 'View plans',
  limits: 'Limits',
  data: 'Your data',
  dataNote: 'Pets, stock, orders, events and logs as one file, without any secrets.',
  download: 'Download all data',
  danger: 'Danger zone',
  dangerNote: 'Close this workspace and delete its data.',
  close: 'Close workspace',
  closeTitle: (name: string) => `Close ${name}`,
  closeEffects: [
    'Nothing can be changed any more, and no webhook is delivered.',
    'Data can still be viewed and downloaded for 30 days, and you can reopen the workspace until then.',
    'After 30 days, all its data is deleted. This cannot be undone.',
  ],
  eraseOn: (when: string) => `Its data is deleted on ${when}.`,
  closeTyped: (name: string) => `Type “${name}” to confirm`,
  closed: 'Workspace closed.',
  isClosing: 'This workspace is closing. Reopen it above.',
});
