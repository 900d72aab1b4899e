import fc from 'fast-check';

/** What random tests start from. */
export const seed = Number(process.env.SEED ?? 1);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
