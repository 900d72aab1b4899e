const UNWRITABLE = ['EACCES', 'EPERM', 'EROFS'];

/** What to do about a refusal of the operating system; undefined where its own words are all there is to say. */
export function remedyOf({ code = '', syscall }: NodeJS.ErrnoException): string | undefined {
  if (code === 'EADDRINUSE') return 'stop what listens there, or set PETSTORE_PORT';
  if (code === 'EADDRNOTAVAIL') return 'set PETSTORE_HOST to an address of this machine';
  if (!UNWRITABLE.includes(code)) return undefined;
  if (syscall === 'listen') {
    return 'this user may not listen there; set PETSTORE_PORT to 1024 or above';
  }
  return 'give this user write access, or set PETSTORE_DATA_DIR to another folder';
}
