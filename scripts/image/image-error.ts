// SPDX-License-Identifier: Apache-2.0

/** A failure that its sentence explains; shown without a stack. */
export class ImageError extends Error {
  /** Whether the command line is at fault: then the exit code is 2. */
  readonly isUsage: boolean;

  constructor(message: string, { isUsage = false, ...options }: ErrorOptions & { readonly isUsage?: boolean } = {}) {
    super(message, options);
    this.isUsage = isUsage;
  }
}
