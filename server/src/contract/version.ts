/** The version of the interface, which the path chooses by its first part. */
export const API_VERSION = '1.0.0';
export const API_PREFIX = '/v1';
