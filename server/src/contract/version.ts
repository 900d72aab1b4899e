/** The version of the API. The first part of a path chooses its major version. */
export const API_VERSION = '1.0.0';
export const API_PREFIX = '/v1';
