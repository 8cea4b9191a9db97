// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";
import { checkNotEmpty } from "./option-checks.ts";

/** Options of backup and restore. Flags only: they apply to a single call. */
export const storeOptions = [
  {
    name: "to",
    type: "path",
    required: true,
    sources: ["flag"],
    verbs: ["backup"],
    check: checkNotEmpty,
    description: "Folder to create for the backup. It must not exist yet.",
  },
  {
    name: "with-keys",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["backup"],
    description:
      "Include the keys of encrypted bodies and the hub's own CA. The backup is then as secret as the hub itself.",
  },
  {
    name: "passphrase-file",
    type: "path",
    sources: ["flag"],
    verbs: ["backup", "restore"],
    check: checkNotEmpty,
    description:
      "File whose first line is a passphrase of 12 characters or more. A backup includes the keys and the hub's own CA encrypted with it, and is complete; restore decrypts them.",
  },
  {
    name: "from",
    type: "path",
    required: true,
    sources: ["flag"],
    verbs: ["restore"],
    check: checkNotEmpty,
    description: "Folder of the backup.",
  },
] as const satisfies readonly OptionSpec[];
