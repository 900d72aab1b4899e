export function consoleStamp(root?: string): string;
export function buildConsole(node: string, root?: string): 'built' | 'fresh' | 'absent' | 'failed';
