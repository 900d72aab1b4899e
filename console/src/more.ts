// All that the first screen does not need. It is one file, so going from screen to screen loads nothing but data.

// All of the first screen then goes into the file that both share. Between files, names are listed twice.
import './start.tsx';

export { AuditScreen } from './screens/audit/audit-screen.tsx';
export { BansScreen } from './screens/bans/bans-screen.tsx';
export { CatalogueScreen } from './screens/catalogue/catalogue-screen.tsx';
export { CategoriesScreen } from './screens/catalogue/categories-screen.tsx';
export { CountScreen } from './screens/count/count-screen.tsx';
export { EventScreen } from './screens/events/event-screen.tsx';
export { EventsScreen } from './screens/events/events-screen.tsx';
export { InventoryScreen } from './screens/inventory/inventory-screen.tsx';
export { KeysScreen } from './screens/keys/keys-screen.tsx';
export { LedgerScreen } from './screens/ledger/ledger-screen.tsx';
export { NewOrderScreen } from './screens/orders/new/new-order-screen.tsx';
export { OrderScreen } from './screens/orders/order/order-screen.tsx';
export { OrdersScreen } from './screens/orders/orders-screen.tsx';
export { SampleDialog } from './screens/overview/sample/sample-dialog.tsx';
export { PlanScreen } from './screens/plan/plan-screen.tsx';
export { RequestScreen } from './screens/requests/request-screen.tsx';
export { RequestsScreen } from './screens/requests/requests-screen.tsx';
export { AllKeysScreen } from './screens/service/all-keys-screen.tsx';
export { ServiceScreen } from './screens/service/service-screen.tsx';
export { SettingsScreen } from './screens/settings/settings-screen.tsx';
export { UsageScreen } from './screens/usage/usage-screen.tsx';
export { WebhookScreen } from './screens/webhooks/webhook-screen.tsx';
export { WebhooksScreen } from './screens/webhooks/webhooks-screen.tsx';
export { WorkspaceScreen } from './screens/workspaces/workspace-screen.tsx';
export { WorkspacesScreen } from './screens/workspaces/workspaces-screen.tsx';
export { HelpDialog } from './shell/help-dialog.tsx';
export { Palette } from './shell/palette/palette.tsx';
