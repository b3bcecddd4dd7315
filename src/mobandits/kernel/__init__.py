"""The ground floor: arrays in, arrays out."""
