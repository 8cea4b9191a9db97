// SPDX-License-Identifier: Apache-2.0

/** An error whose message is complete; shown without a stack. */
export class ImageError extends Error {
  /** True for a wrong command line: the exit code is 2. */
  readonly isUsage: boolean;

  constructor(message: string, { isUsage = false, ...options }: ErrorOptions & { readonly isUsage?: boolean } = {}) {
    super(message, options);
    this.isUsage = isUsage;
  }
}
