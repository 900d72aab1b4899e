import type { Deprecations } from '../services/usage-report.ts';
import { adminAddGrant } from './admin/admin-add-grant.ts';
import { adminCloseWorkspace } from './admin/admin-close-workspace.ts';
import { adminCreateWorkspace } from './admin/admin-create-workspace.ts';
import { adminExportAudit } from './admin/admin-export-audit.ts';
import { adminExportWorkspace } from './admin/admin-export-workspace.ts';
import { adminGetRequest } from './admin/admin-get-request.ts';
import { adminGetWorkspace } from './admin/admin-get-workspace.ts';
import { adminLiftBan } from './admin/admin-lift-ban.ts';
import { adminListAudit } from './admin/admin-list-audit.ts';
import { adminListBans } from './admin/admin-list-bans.ts';
import { adminListKeys } from './admin/admin-list-keys.ts';
import { adminListNodes } from './admin/admin-list-nodes.ts';
import { adminListRequests } from './admin/admin-list-requests.ts';
import { adminListWorkspaces } from './admin/admin-list-workspaces.ts';
import { adminReopenWorkspace } from './admin/admin-reopen-workspace.ts';
import { adminResumeWorkspace } from './admin/admin-resume-workspace.ts';
import { adminRevokeKey } from './admin/admin-revoke-key.ts';
import { adminSuspendWorkspace } from './admin/admin-suspend-workspace.ts';
import { adminUpdateWorkspace } from './admin/admin-update-workspace.ts';
import { exportAudit } from './audit/export-audit.ts';
import { listAudit } from './audit/list-audit.ts';
import { createCategory } from './categories/create-category.ts';
import { deleteCategory } from './categories/delete-category.ts';
import { getCategory } from './categories/get-category.ts';
import { listCategories } from './categories/list-categories.ts';
import { updateCategory } from './categories/update-category.ts';
import { getEvent } from './events/get-event.ts';
import { listEvents } from './events/list-events.ts';
import { streamEvents } from './events/stream-events.ts';
import { adjustInventory } from './inventory/adjust-inventory.ts';
import { getInventoryItem } from './inventory/get-inventory-item.ts';
import { listInventory } from './inventory/list-inventory.ts';
import { listLedger } from './inventory/list-ledger.ts';
import { listMovements } from './inventory/list-movements.ts';
import { reverseMovement } from './inventory/reverse-movement.ts';
import { setStock } from './inventory/set-stock.ts';
import { updateInventory } from './inventory/update-inventory.ts';
import { createKey } from './keys/create-key.ts';
import { listKeys } from './keys/list-keys.ts';
import { revokeKey } from './keys/revoke-key.ts';
import { rotateKey } from './keys/rotate-key.ts';
import type { Operation } from './operation.ts';
import { cancelOrder } from './orders/cancel-order.ts';
import { getOrder } from './orders/get-order.ts';
import { listOrders } from './orders/list-orders.ts';
import { placeOrder } from './orders/place-order.ts';
import { placeOrders } from './orders/place-orders.ts';
import { updateOrder } from './orders/update-order.ts';
import { createPet } from './pets/create-pet.ts';
import { createPets } from './pets/create-pets.ts';
import { deletePet } from './pets/delete-pet.ts';
import { getPet } from './pets/get-pet.ts';
import { listPets } from './pets/list-pets.ts';
import { putPetByReference } from './pets/put-pet-by-reference.ts';
import { updatePet } from './pets/update-pet.ts';
import { getRequest } from './requests/get-request.ts';
import { listRequests } from './requests/list-requests.ts';
import { createSession } from './session/create-session.ts';
import { deleteSession } from './session/delete-session.ts';
import { getSession } from './session/get-session.ts';
import { getUsage } from './usage/get-usage.ts';
import { getUsageAdvice } from './usage/get-usage-advice.ts';
import { getUsageMinutes } from './usage/get-usage-minutes.ts';
import { listPlans } from './usage/list-plans.ts';
import { createWebhook } from './webhooks/create-webhook.ts';
import { deleteWebhook } from './webhooks/delete-webhook.ts';
import { getWebhook } from './webhooks/get-webhook.ts';
import { listAttempts } from './webhooks/list-attempts.ts';
import { listParked } from './webhooks/list-parked.ts';
import { listWebhooks } from './webhooks/list-webhooks.ts';
import { pingWebhook } from './webhooks/ping-webhook.ts';
import { redeliverEvent } from './webhooks/redeliver-event.ts';
import { replayWebhook } from './webhooks/replay-webhook.ts';
import { rotateWebhookSecret } from './webhooks/rotate-webhook-secret.ts';
import { updateWebhook } from './webhooks/update-webhook.ts';
import { closeWorkspace } from './workspace/close-workspace.ts';
import { exportWorkspace } from './workspace/export-workspace.ts';
import { getWorkspace } from './workspace/get-workspace.ts';
import { reopenWorkspace } from './workspace/reopen-workspace.ts';
import { signUp } from './workspace/sign-up.ts';
import { updateWorkspace } from './workspace/update-workspace.ts';

/** Every operation of the service, in the order in which the contract shows them. */
export const operations: readonly Operation[] = [
  listPets,
  createPet,
  createPets,
  putPetByReference,
  getPet,
  updatePet,
  deletePet,
  listCategories,
  createCategory,
  getCategory,
  updateCategory,
  deleteCategory,
  listInventory,
  getInventoryItem,
  updateInventory,
  setStock,
  adjustInventory,
  listMovements,
  listLedger,
  reverseMovement,
  listOrders,
  placeOrder,
  placeOrders,
  getOrder,
  updateOrder,
  cancelOrder,
  getWorkspace,
  updateWorkspace,
  closeWorkspace,
  reopenWorkspace,
  exportWorkspace,
  signUp,
  listKeys,
  createKey,
  revokeKey,
  rotateKey,
  createSession,
  getSession,
  deleteSession,
  listPlans,
  getUsage,
  getUsageAdvice,
  getUsageMinutes,
  listAudit,
  exportAudit,
  listRequests,
  getRequest,
  listEvents,
  getEvent,
  streamEvents,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  pingWebhook,
  replayWebhook,
  listAttempts,
  listParked,
  redeliverEvent,
  adminListWorkspaces,
  adminCreateWorkspace,
  adminGetWorkspace,
  adminUpdateWorkspace,
  adminSuspendWorkspace,
  adminResumeWorkspace,
  adminAddGrant,
  adminCloseWorkspace,
  adminReopenWorkspace,
  adminExportWorkspace,
  adminListKeys,
  adminRevokeKey,
  adminListBans,
  adminLiftBan,
  adminListAudit,
  adminExportAudit,
  adminListRequests,
  adminGetRequest,
  adminListNodes,
];

/** The deprecated operations among these, for the usage report. */
export function deprecationsOf(operations: readonly Operation[]): Deprecations {
  return new Map(
    operations.flatMap(({ id, deprecation }) =>
      deprecation
        ? [[id, { sunset: deprecation.sunset, successor: deprecation.successor }] as const]
        : [],
    ),
  );
}
