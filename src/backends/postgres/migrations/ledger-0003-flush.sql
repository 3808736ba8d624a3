-- Updated behind commits that do not wait for the disk, see `flush`.
INSERT INTO locks (name) SELECT 'flush-' || n FROM generate_series(0, 31) n;
