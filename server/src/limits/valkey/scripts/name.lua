-- Names the store, so that nodes notice when they count in different ones.
--
-- KEYS   1 the name
-- ARGV   1 the name that it gets if it has none
-- Reply  {the name}

redis.call('SET', KEYS[1], ARGV[1], 'NX')
redis.call('PEXPIRE', KEYS[1], 172800000)
return {tonumber(redis.call('GET', KEYS[1]))}
