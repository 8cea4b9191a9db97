-- SPDX-License-Identifier: Apache-2.0
-- parent_id: the token that this one was made from at a login of the page, and ends with; null for a token that stands by itself.

ALTER TABLE tokens ADD COLUMN parent_id TEXT;
