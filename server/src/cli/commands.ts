import { backup } from './backup.ts';
import { banCommands } from './bans.ts';
import type { Command } from './command.ts';
import { copy } from './copy.ts';
import { eventCommands } from './events.ts';
import { importPets } from './import.ts';
import { keyCommands } from './keys.ts';
import { migrate } from './migrate.ts';
import { reconcileStore } from './reconcile.ts';
import { serve } from './serve.ts';
import { webhookCommands } from './webhooks.ts';
import { workspaceCommands } from './workspaces.ts';

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  serve,
  migrate,
  ...keyCommands,
  ...workspaceCommands,
  ...banCommands,
  ...eventCommands,
  ...webhookCommands,
  reconcileStore,
  backup,
  importPets,
  copy,
];
