// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, objectsAt, textOf } from "../../json/json.ts";
import type { Strategy } from "../../resources/strategy.ts";

/** ServiceAccounts. Only the name of each Secret reference is stored. */
export const serviceAccountStrategy: Strategy = {
  prepareForCreate: cleanSecretReferences,
  prepareForUpdate: cleanSecretReferences,
};

function cleanSecretReferences(object: DraftObject): void {
  const secrets = objectsAt(object, "secrets");
  if (secrets.length === 0) return;
  object["secrets"] = secrets.map((secret) => {
    const name = textOf(secret, "name");
    return name === "" ? {} : { name };
  });
}
