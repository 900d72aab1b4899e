// Files of certificates and keys that settings name. The drivers read them when they connect, and do not say which it was.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'which does not exist: correct the path, or put the file there',
  EACCES: 'which this user cannot read: give it read access',
  EISDIR: 'which is a folder: name the file in it',
};

/** What is wrong with a file, and what to do. Undefined for a file that can be used. */
export function tlsFileFault(
  setting: string,
  file: string,
  kind: 'certificate' | 'key',
): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (err) {
    const { code = '', message } = err as NodeJS.ErrnoException;
    return `${setting} names ${file}, ${reasons[code] ?? `which cannot be read: ${message}`}`;
  }
  if (kind === 'certificate' ? isCertificate(text) : isKey(text)) return undefined;
  return `${setting} names ${file}, which has no ${kind} in PEM: name one that has, in text that begins with -----BEGIN`;
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).raw.length > 0 && text.includes('-----BEGIN ');
  } catch {
    return false;
  }
}

/** A key that asks for a password is one, too. */
function isKey(text: string): boolean {
  try {
    return createPrivateKey(text).type === 'private';
  } catch {
    return /-----BEGIN (ENCRYPTED|RSA|EC) PRIVATE KEY-----\s+(Proc-Type|M)/.test(text);
  }
}
