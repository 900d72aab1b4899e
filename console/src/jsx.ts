// What JSX becomes. The build imports these into each file, and its options have their names.

import { Fragment, h } from 'preact';

export const jsxElement = h;
export const jsxFragment = Fragment;
