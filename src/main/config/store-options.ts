// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";
import { checkNotEmpty } from "./option-checks.ts";

/** Where backups go to and come from. Flags only: whoever backs up or restores says so on the spot. */
export const storeOptions = [
  {
    name: "to",
    type: "path",
    required: true,
    sources: ["flag"],
    verbs: ["backup"],
    check: checkNotEmpty,
    description: "Folder to make for the backup. It must not be there yet.",
  },
  {
    name: "with-keys",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["backup"],
    description:
      "Put the keys of encrypted bodies and the hub's own CA into the backup too. It is then as secret as the hub itself.",
  },
  {
    name: "passphrase-file",
    type: "path",
    sources: ["flag"],
    verbs: ["backup", "restore"],
    check: checkNotEmpty,
    description:
      "File whose first line is a passphrase of 12 characters or more. A backup seals the keys and the hub's own CA with it, and is complete; restore opens them.",
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
